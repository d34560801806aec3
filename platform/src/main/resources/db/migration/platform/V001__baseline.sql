-- A row is never deleted, so that the term of a resource only ever rises.
CREATE TABLE IF NOT EXISTS claim (
  resource   VARCHAR(200) NOT NULL PRIMARY KEY,
  claimant   VARCHAR(100) NOT NULL,
  term       BIGINT       NOT NULL,
  expires_at DATETIME(6)  NOT NULL
) ${tableOptions};

-- One row, written before each look at who is silent: silence counts only while writes get through.
CREATE TABLE IF NOT EXISTS write_proof (
  id        INT         NOT NULL PRIMARY KEY,
  proved_at DATETIME(6) NOT NULL
) ${tableOptions};
