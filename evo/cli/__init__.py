"""The command line: each command reads its options, calls the library, and prints."""
