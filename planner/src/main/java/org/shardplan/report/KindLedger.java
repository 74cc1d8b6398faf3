package org.shardplan.report;

/** The ledger of all pretraining or tuning runs of one kind. */
public record KindLedger(RunKind kind, Ledger ledger) {}
