The page of instructions has those of the table.

  $ $TREE/scripts/list-instructions --check
