"""Pages and resource views; ``views.py`` registers the pages. Imports logic and lower layers."""
