"""Tencent Cloud, through its SDK."""
