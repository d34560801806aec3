/**
 * How people log in to the dashboard: codes that are used once, and sessions that end on the
 * server. Only hashes of both are stored.
 */
package io.millrace.manager.login;
