"""What people read on all pages and in mails alike, in their language."""
