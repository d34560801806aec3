-- When the current or last attempt got its place, so that a start is timed without the wait for a slot.
alter table job add column (placed_at datetime(6))
