/**
 * Who holds a queue's 1000 points when it has none yet, or too few segments. Pure; called by the
 * duty that keeps the weight rows.
 */
package io.millrace.manager.weights;
