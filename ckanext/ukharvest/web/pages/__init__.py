"""The pages as Flask blueprints; ``views.py`` registers them."""
