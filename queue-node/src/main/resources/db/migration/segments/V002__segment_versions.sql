-- The version of a queue's definition under which its segment began: the segment is removed only for a
-- deletion of that version or a later one. A segment from before has no row, and belongs to any. A table
-- of its own, because a new column is not a statement that every database server can repeat.
CREATE TABLE IF NOT EXISTS store_segment_version (
  -- Of the row in store_segment.
  queue   INT NOT NULL PRIMARY KEY,
  version INT NOT NULL
) ${tableOptions};
