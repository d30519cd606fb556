"""Dashboard of the whole portal: consumers, current runs, table sizes, the sysadmin's notice."""
