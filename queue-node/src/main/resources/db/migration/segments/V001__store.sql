-- A queue node's store; its rows in the other tables carry its number. Several nodes may share a
-- schema. term: how often it was opened; only the last opener may write. commits: how often it was
-- written, by which the opener learns whether a commit that it got no answer for has happened.
-- last_seq: the highest number that an event ever had.
CREATE TABLE store (
  store    INT         NOT NULL AUTO_INCREMENT PRIMARY KEY,
  node     VARCHAR(60) NOT NULL UNIQUE,
  term     BIGINT      NOT NULL,
  commits  BIGINT      NOT NULL,
  last_seq BIGINT      NOT NULL
) ${tableOptions};
