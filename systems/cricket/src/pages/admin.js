// admin
