-- A row is never deleted, so that the term of a resource only ever rises.
CREATE TABLE IF NOT EXISTS claim (
  resource   VARCHAR(200) NOT NULL PRIMARY KEY,
  claimant   VARCHAR(100) NOT NULL,
  term       BIGINT       NOT NULL,
  expires_at DATETIME(6)  NOT NULL
) ${tableOptions};
