/**
 * Claims in the shared database: at most one holder at a time, terms that refuse late writes, and
 * duties that run while a claim is held (M-05).
 */
package io.millrace.platform.claim;
