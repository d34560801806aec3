/** What every part of the product shares: errors, JSON, names, durations and sizes. */
package io.millrace.api;
