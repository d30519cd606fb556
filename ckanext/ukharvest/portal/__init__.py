"""Harvesting on the whole portal: what is alive, what runs, what grows, what its sysadmin says."""
