module.exports = function request() {
  throw new Error(
    'request-promise is a stand-in here: install the fetch-based function before any call',
  );
};
