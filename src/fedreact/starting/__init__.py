"""What a user starts from: a configuration for own data, and files of own methods."""
