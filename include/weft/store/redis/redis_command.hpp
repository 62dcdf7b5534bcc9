#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/** A command for a Redis server: a name and arguments, each any bytes. There is nothing to escape.
 *
 *      redis_command command{"SET"};
 *      command.add("greeting").add("hello").add("PX").add(500);
 *
 *  @par Thread safety   As a value.
 *  @par Source          https://redis.io/docs/latest/develop/reference/protocol-spec/, "Sending commands"
 */
class redis_command {
public:
    explicit redis_command(std::string_view name) : name_{name} { add(name); }

    redis_command& add(std::string_view argument);
    redis_command& add(std::int64_t argument);

    /** Says that the command changes nothing: when its answer is lost, nothing is in doubt. */
    redis_command& reads_only() noexcept
    {
        is_read_ = true;
        return *this;
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] bool is_read() const noexcept { return is_read_; }

    /** What goes over the wire. */
    [[nodiscard]] std::string text() const;

private:
    std::string name_;
    std::string body_;
    std::size_t count_ = 0;
    bool is_read_ = false;
};

}  // namespace weft
