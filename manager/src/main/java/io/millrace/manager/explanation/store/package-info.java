/** The history of why shapes waited. Works in its caller's transaction. */
package io.millrace.manager.explanation.store;
