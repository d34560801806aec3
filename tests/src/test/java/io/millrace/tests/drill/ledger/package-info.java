/**
 * What a drill's producers and consumers saw, and the judgement of it. The judgement is pure; the
 * ledger is written by the drill's threads.
 */
package io.millrace.tests.drill.ledger;
