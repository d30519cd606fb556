"""What every layer shares: records, errors, network, text. Imports nothing of ours and no CKAN."""
