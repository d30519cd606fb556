"""A large JSON document (RFC 8259) as a stream of records, at constant memory."""
