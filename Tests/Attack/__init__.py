"""The attacks of Scripts/attack."""
