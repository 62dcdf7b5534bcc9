#include <weft/store/sealed/sealing_keys.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <openssl/crypto.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t secret_bytes = 32;
constexpr std::size_t id_bytes_max = 32;
constexpr std::size_t key_file_bytes_max = 16 * 1024;

[[noreturn]] void refuse_keys(std::string where, std::string detail)
{
    throw error{errc::invalid_configuration, std::move(where), std::move(detail)};
}

int hex_digit(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/** The 32 bytes that a secret is given as. */
secret_string secret_bytes_of(const secret_string& given, const std::string& where)
{
    const std::string_view text = given.reveal();
    if (text.size() == secret_bytes) return given;
    std::array<char, secret_bytes> bytes{};
    bool is_hex = text.size() == 2 * secret_bytes;
    for (std::size_t i = 0; is_hex && i < secret_bytes; ++i) {
        const int high = hex_digit(text[2 * i]);
        const int low = hex_digit(text[2 * i + 1]);
        is_hex = high >= 0 && low >= 0;
        bytes[i] = static_cast<char>(high * 16 + low);
    }
    const secret_string secret{std::string_view{bytes.data(), bytes.size()}};
    OPENSSL_cleanse(bytes.data(), bytes.size());
    if (!is_hex) refuse_keys(where, "a sealing key has 32 bytes, or 64 hexadecimal digits: openssl rand -hex 32");
    return secret;
}

bool is_id_character(char c) noexcept
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
           c == '.';
}

/** The bytes of a small file that only its owner can read, overwritten at the end. */
class private_file {
public:
    explicit private_file(const std::string& path)
    {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (file < 0) refuse_keys(path, std::string{"the key file cannot be opened: "} + std::strerror(errno));
        const std::string why = mistake_of(file);
        if (why.empty()) size_ = std::max<ssize_t>(0, ::read(file, bytes_.data(), bytes_.size()));
        ::close(file);
        if (!why.empty()) refuse_keys(path, why);
    }
    ~private_file() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }
    private_file(const private_file&) = delete;
    private_file& operator=(const private_file&) = delete;

    [[nodiscard]] std::string_view text() const noexcept { return {bytes_.data(), static_cast<std::size_t>(size_)}; }

private:
    static std::string mistake_of(int file)
    {
        struct stat about {};
        if (::fstat(file, &about) != 0) return std::string{"the key file cannot be looked at: "} + std::strerror(errno);
        if (!S_ISREG(about.st_mode)) return "the key file is no regular file";
        if (about.st_uid != ::geteuid() && about.st_uid != 0) return "the key file belongs to another user";
        if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
            return "others may read or write the key file; make it private: chmod 600";
        if (static_cast<std::size_t>(about.st_size) > key_file_bytes_max) return "the key file is too long";
        return {};
    }

    std::array<char, key_file_bytes_max> bytes_{};
    ssize_t size_ = 0;
};

}  // namespace

sealing_keys::sealing_keys(secret_string secret, std::string id) { rotate_to(std::move(id), std::move(secret)); }

sealing_keys& sealing_keys::rotate_to(std::string id, secret_string secret)
{
    const bool is_name = !id.empty() && id.size() <= id_bytes_max && std::all_of(id.begin(), id.end(), is_id_character);
    if (!is_name) refuse_keys("sealing keys", "the name of a key has 1 to 32 letters, digits, '-', '_' and '.'");
    if (std::any_of(all_.begin(), all_.end(), [&](const key& one) { return one.id == id; }))
        refuse_keys("sealing keys", "two keys are named '" + id + "'; give the newer one another name");
    if (all_.size() == keys_max) refuse_keys("sealing keys", "there are more than " + std::to_string(keys_max));
    secret_string bytes = secret_bytes_of(secret, "sealing key '" + id + "'");
    all_.push_back({std::move(id), std::move(bytes)});
    return *this;
}

sealing_keys sealing_keys::from_file(const std::string& path)
{
    const private_file file{path};
    sealing_keys keys;
    std::string_view rest = file.text();
    for (int number = 1; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = trimmed(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.empty() || line.front() == '#') continue;
        const std::size_t blank = line.find_first_of(" \t");
        const std::string where = path + ", line " + std::to_string(number);
        if (blank == std::string_view::npos)
            refuse_keys(where, "a line has the name of a key, a blank, and 64 hexadecimal digits");
        const std::string_view digits = trimmed(line.substr(blank));
        if (digits.size() != 2 * secret_bytes) refuse_keys(where, "a key has 64 hexadecimal digits");
        try {
            keys.rotate_to(std::string{line.substr(0, blank)}, secret_string{digits});
        } catch (const error& e) {
            refuse_keys(where, e.detail());
        }
    }
    if (keys.all_.empty()) refuse_keys(path, "the key file has no key");
    return keys;
}

}  // namespace weft
