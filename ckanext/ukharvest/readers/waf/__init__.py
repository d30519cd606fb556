"""Web-accessible folders (WAF): listings of all common servers, sub-folders, and their files."""
