#pragma once

#include <string>
#include <vector>

namespace weft_tests {

/** A file outside of any store, to which processes append lines: what has really happened, whatever died.
 *
 *  A line is written as a whole: it stays when its process is killed behind it.
 *
 *  @par Thread safety   From any OS thread and process.
 */
class ledger {
public:
    /** @par Errors  `std::runtime_error`. */
    explicit ledger(const std::string& file);
    ~ledger();
    ledger(const ledger&) = delete;
    ledger& operator=(const ledger&) = delete;

    /** Words without blanks; the last one may have some. */
    void note(const std::vector<std::string>& words) const;

private:
    int file_;
};

/** The lines of a ledger, in words: the last of `count` has what is left of the line. */
[[nodiscard]] std::vector<std::vector<std::string>> read_ledger(const std::string& file, std::size_t count);

}  // namespace weft_tests
