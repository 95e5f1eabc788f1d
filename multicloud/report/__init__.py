"""Results for people and programs; formats what others computed."""
