#include <weft/store/redis/redis_command.hpp>

namespace weft {

redis_command& redis_command::add(std::string_view argument)
{
    ++count_;
    body_.append("$").append(std::to_string(argument.size())).append("\r\n").append(argument).append("\r\n");
    return *this;
}

redis_command& redis_command::add(std::int64_t argument) { return add(std::string_view{std::to_string(argument)}); }

std::string redis_command::text() const
{
    std::string whole = "*" + std::to_string(count_) + "\r\n";
    whole.reserve(whole.size() + body_.size());
    return whole.append(body_);
}

}  // namespace weft
