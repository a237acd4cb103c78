// scorecard
