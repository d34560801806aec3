/**
 * Who holds a queue's 1000 points: first ones, those of lost nodes, moved ones. Pure; called by
 * what keeps the weight rows.
 */
package io.millrace.manager.weights;
