/**
 * Claims in the shared database: at most one holder at a time, terms that refuse late writes, and
 * duties that run while a claim is held (G-03, G-04).
 */
package io.millrace.platform.claim;
