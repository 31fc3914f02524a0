// matrix-bot-sdk requires these names at load time. Nothing here calls them.
class OlmMachine {}
module.exports = { OlmMachine, StoreType: { Sqlite: 0 } };
