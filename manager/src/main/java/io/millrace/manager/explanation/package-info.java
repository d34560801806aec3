/**
 * Why a job waits, now and so far, with the figures. What placement says is said by placement
 * itself; the history costs nothing per waiting job. Routes call it; the dispatch tells it its
 * verdicts.
 */
package io.millrace.manager.explanation;
