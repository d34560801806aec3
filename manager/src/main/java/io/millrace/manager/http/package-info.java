/**
 * All HTTP routes of the central manager and the dashboard's files. Routes read requests, call the
 * capabilities and write answers; nothing here decides.
 */
package io.millrace.manager.http;
