-- Sessions of the dashboard: the cookie's hash, and whose session it is.
create table if not exists login_session (
  hash varchar(64) not null primary key,
  subject varchar(200) not null,
  role varchar(32) not null,
  expires_at datetime(6) not null,
  index login_session_by_expiry (expires_at),
  index login_session_by_user (subject, role, expires_at)
) ${tableOptions};
