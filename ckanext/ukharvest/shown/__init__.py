"""Facts and fields of a dataset as its page shows them."""
