/**
 * The vocabulary of Millrace: what clients, workers and nodes say to one another. Every other
 * module may use it; it depends on Jackson only.
 */
package io.millrace.api;
