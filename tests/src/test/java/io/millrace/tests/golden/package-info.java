/**
 * Golden transcripts: what the product answers, prints, measures and decides, recorded in files
 * below {@code golden} in the test resources. CONTRIBUTING.md describes how to record them again.
 */
package io.millrace.tests.golden;
