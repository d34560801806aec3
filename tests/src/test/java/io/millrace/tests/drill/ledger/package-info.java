/**
 * What a drill's producers and consumers saw, and the check of it. The check is pure; the ledger is
 * written by the drill's threads.
 */
package io.millrace.tests.drill.ledger;
