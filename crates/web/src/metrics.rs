//! Counters, gauges and histograms of the web and of systems.
