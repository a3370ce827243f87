"""What JSON can hold, as a type: what is read from a file or a request, and what is written into one."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
JsonObject = dict[str, Json]
