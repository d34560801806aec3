-- What a join token is good for, and which machine has used it. A table of its own, because a new
-- column is not a statement that every database server can repeat.
create table if not exists join_token_terms (
  -- Of the row in join_token.
  hash varchar(64) not null primary key,
  -- The names that may join; null for any.
  name_pattern varchar(100),
  -- Whether the node that has the name loses it.
  takes_over boolean not null,
  expires_at datetime(6) not null,
  -- The machine's identity and SHA-256 of its key, so that it can repeat its request. Null until it
  -- has joined.
  node_id varchar(36),
  key_hash varchar(64)
) ${tableOptions};
