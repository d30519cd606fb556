"""The IHarvester plugins: one small file per source type, on ``base`` and ``run``."""
