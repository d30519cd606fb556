"""Records of location data: UK GEMINI 2.1 to 2.3 (ISO 19139), and fields common to its kin."""
