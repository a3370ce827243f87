"""The types of values that JSON can hold, for what is read from or written to a file or a request."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
JsonObject = dict[str, Json]
