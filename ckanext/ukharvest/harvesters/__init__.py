"""The IHarvester plugins: one class for each source type, made from its declaration."""
