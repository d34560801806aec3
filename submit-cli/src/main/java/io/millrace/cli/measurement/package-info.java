/**
 * What benchmarks share: roles in processes of their own, threads that make load, folders that are
 * gone afterwards, rates. Only benchmarks call it.
 */
package io.millrace.cli.measurement;
