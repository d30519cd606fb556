"""Write datasets, their harvest objects, record rows and problems: the only modules that do.

Everything about one record is written in one transaction, under an advisory lock on its source and
guid, so that a record delivered twice, or to two consumers, is written once. Records are written in
batches (batch.py); deletions and failures one by one (single.py). Datasets are indexed after the
commit (indexing.py). After a crash between the two the next tick indexes them, so there is never a
search result without a dataset.
"""

from ckanext.ukharvest.engine.dataset_writer.batch import upsert_many
from ckanext.ukharvest.engine.dataset_writer.single import delete, fail, fill_formats, skip
from ckanext.ukharvest.engine.dataset_writer.standing import leave
from ckanext.ukharvest.engine.dataset_writer.write import ERRORED, UNCHANGED, Write

__all__ = [
    "ERRORED",
    "UNCHANGED",
    "Write",
    "delete",
    "fail",
    "fill_formats",
    "leave",
    "skip",
    "upsert_many",
]
