-- A queue that ever held an event in a store, with the figures of its segment there. A queue has a
-- number of its own in each store. delays: counts, separated by commas.
CREATE TABLE store_segment (
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
