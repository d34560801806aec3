-- A queue node's store; its rows in the other tables carry its number. Several nodes may share a
-- schema. term: how often it was opened; only the last opener may write. commits: how often it was
-- written, by which the opener learns whether a commit that it got no answer for has happened.
-- last_seq: the highest number that an event ever had.
CREATE TABLE IF NOT EXISTS store (
  store    INT         NOT NULL AUTO_INCREMENT PRIMARY KEY,
  node     VARCHAR(60) NOT NULL UNIQUE,
  term     BIGINT      NOT NULL,
  commits  BIGINT      NOT NULL,
  last_seq BIGINT      NOT NULL
) ${tableOptions};

-- A queue that ever held an event in a store, with the figures of its segment there. A queue has a
-- number of its own in each store. delays: counts, separated by commas.
CREATE TABLE IF NOT EXISTS store_segment (
  queue           INT           NOT NULL AUTO_INCREMENT PRIMARY KEY,
  store           INT           NOT NULL,
  name            VARCHAR(60)   NOT NULL,
  waiting         BIGINT        NOT NULL DEFAULT 0,
  held_back       BIGINT        NOT NULL DEFAULT 0,
  leased          BIGINT        NOT NULL DEFAULT 0,
  dead            BIGINT        NOT NULL DEFAULT 0,
  bytes           BIGINT        NOT NULL DEFAULT 0,
  inserted        BIGINT        NOT NULL DEFAULT 0,
  inserted_bytes  BIGINT        NOT NULL DEFAULT 0,
  delivered       BIGINT        NOT NULL DEFAULT 0,
  delivered_bytes BIGINT        NOT NULL DEFAULT 0,
  acknowledged    BIGINT        NOT NULL DEFAULT 0,
  failed          BIGINT        NOT NULL DEFAULT 0,
  returned        BIGINT        NOT NULL DEFAULT 0,
  dropped         BIGINT        NOT NULL DEFAULT 0,
  delays          VARCHAR(2000),
  CONSTRAINT store_segment_once UNIQUE (store, name)
) ${tableOptions};

-- An event that is not acknowledged. state: 0 ready, 1 delayed, 2 leased, 3 dead. urgency: 9 minus
-- the priority, so that an ascending index has the highest priority first.
CREATE TABLE IF NOT EXISTS store_event (
  store      INT          NOT NULL,
  seq        BIGINT       NOT NULL,
  queue      INT          NOT NULL,
  state      TINYINT      NOT NULL,
  urgency    TINYINT      NOT NULL,
  id         VARCHAR(250) NOT NULL,
  data       MEDIUMBLOB   NOT NULL,
  attributes TEXT,
  stored_at  BIGINT       NOT NULL,
  bytes      INT          NOT NULL,
  delivery   INT          NOT NULL,
  term       BIGINT       NOT NULL,
  held_at    BIGINT       NOT NULL,
  hold_ms    BIGINT       NOT NULL,
  shared     BOOLEAN      NOT NULL,
  alone      BOOLEAN      NOT NULL,
  failures   INT          NOT NULL,
  returns    INT          NOT NULL,
  reason     TEXT,
  died_at    BIGINT,
  PRIMARY KEY (store, seq),
  INDEX store_event_by_turn (queue, state, urgency, seq),
  INDEX store_event_by_age (queue, state, seq)
) ${tableOptions};

-- The name of a batch stored lately. number: rises by one with each name of the store.
CREATE TABLE IF NOT EXISTS store_batch (
  store  INT          NOT NULL,
  number BIGINT       NOT NULL,
  queue  INT          NOT NULL,
  name   VARCHAR(100) NOT NULL,
  events INT          NOT NULL,
  PRIMARY KEY (store, number),
  CONSTRAINT store_batch_once UNIQUE (queue, name)
) ${tableOptions};
