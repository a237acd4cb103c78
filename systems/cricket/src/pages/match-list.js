// match-list
