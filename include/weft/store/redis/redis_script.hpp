#pragma once

#include <string>

namespace weft {

/** A Lua script that a Redis server runs as one step. Sent once to each server, then named by its hash.
 *
 *  @par Thread safety   As a value.
 *  @par Source          https://redis.io/docs/latest/commands/evalsha/
 */
class redis_script {
public:
    explicit redis_script(std::string text);

    [[nodiscard]] const std::string& text() const noexcept { return text_; }
    /** SHA-1, 40 hexadecimal digits: what the server calls it. */
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    std::string text_;
    std::string name_;
};

}  // namespace weft
