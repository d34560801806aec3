/**
 * The loop that places waiting jobs under a claim and hands them out to polling nodes, with what
 * controls it: node denylists, weights of shares, licences, and wake-ups between central managers.
 * Whatever it hands out is in the database first.
 */
package io.millrace.manager.dispatch;
